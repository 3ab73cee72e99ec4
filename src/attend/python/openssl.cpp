// The functions of OpenSSL that the server calls, so that the module needs the library only for
// HTTPS: it is opened at the first call. A wheel that held it would be a third larger.
//
// A function that is missing here makes the linker add libssl.so.3 to the module again, and the
// wheel too large for tools/make_wheel.sh.
#include <dlfcn.h>
#include <openssl/ssl.h>

#include <string>

#include "attend/core/options/option_error.h"
#include "attend/error.h"

namespace attend {
namespace {

void* opened_library() {
  static void* const library = dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw OptionError<ConfigError>("{}: needs OpenSSL 3 (sudo apt-get install libssl3)",
                                   as_flag("certificate"));
  return library;
}

// Calls the function of that name and type in libssl or libcrypto.
template <class Function, class... Arguments>
auto openssl(const char* name, Arguments... arguments) {
  void* const function = dlsym(opened_library(), name);
  if (function == nullptr)
    throw OptionError<ConfigError>("{}: OpenSSL lacks the function {}", as_flag("certificate"),
                                   name);
  return reinterpret_cast<Function*>(function)(arguments...);
}

}  // namespace
}  // namespace attend

using attend::openssl;

extern "C" {
long BIO_ctrl(BIO* bio, int command, long number, void* value) {
  return openssl<decltype(BIO_ctrl)>("BIO_ctrl", bio, command, number, value);
}
size_t BIO_ctrl_pending(BIO* bio) {
  return openssl<decltype(BIO_ctrl_pending)>("BIO_ctrl_pending", bio);
}
int BIO_free(BIO* bio) { return openssl<decltype(BIO_free)>("BIO_free", bio); }
int BIO_new_bio_pair(BIO** first, size_t first_size, BIO** second, size_t second_size) {
  return openssl<decltype(BIO_new_bio_pair)>("BIO_new_bio_pair", first, first_size, second,
                                             second_size);
}
int BIO_read(BIO* bio, void* data, int size) {
  return openssl<decltype(BIO_read)>("BIO_read", bio, data, size);
}
int BIO_write(BIO* bio, const void* data, int size) {
  return openssl<decltype(BIO_write)>("BIO_write", bio, data, size);
}
void ERR_clear_error() { return openssl<decltype(ERR_clear_error)>("ERR_clear_error"); }
unsigned long ERR_get_error() { return openssl<decltype(ERR_get_error)>("ERR_get_error"); }
const char* ERR_reason_error_string(unsigned long error) {
  return openssl<decltype(ERR_reason_error_string)>("ERR_reason_error_string", error);
}
long SSL_CTX_ctrl(SSL_CTX* context, int command, long number, void* value) {
  return openssl<decltype(SSL_CTX_ctrl)>("SSL_CTX_ctrl", context, command, number, value);
}
void SSL_CTX_free(SSL_CTX* context) {
  return openssl<decltype(SSL_CTX_free)>("SSL_CTX_free", context);
}
void* SSL_CTX_get_default_passwd_cb_userdata(SSL_CTX* context) {
  return openssl<decltype(SSL_CTX_get_default_passwd_cb_userdata)>(
      "SSL_CTX_get_default_passwd_cb_userdata", context);
}
void* SSL_CTX_get_ex_data(const SSL_CTX* context, int index) {
  return openssl<decltype(SSL_CTX_get_ex_data)>("SSL_CTX_get_ex_data", context, index);
}
SSL_CTX* SSL_CTX_new(const SSL_METHOD* method) {
  return openssl<decltype(SSL_CTX_new)>("SSL_CTX_new", method);
}
void SSL_CTX_set_default_passwd_cb_userdata(SSL_CTX* context, void* data) {
  return openssl<decltype(SSL_CTX_set_default_passwd_cb_userdata)>(
      "SSL_CTX_set_default_passwd_cb_userdata", context, data);
}
int SSL_CTX_set_ex_data(SSL_CTX* context, int index, void* data) {
  return openssl<decltype(SSL_CTX_set_ex_data)>("SSL_CTX_set_ex_data", context, index, data);
}
uint64_t SSL_CTX_set_options(SSL_CTX* context, uint64_t options) {
  return openssl<decltype(SSL_CTX_set_options)>("SSL_CTX_set_options", context, options);
}
int SSL_CTX_use_PrivateKey_file(SSL_CTX* context, const char* file, int type) {
  return openssl<decltype(SSL_CTX_use_PrivateKey_file)>("SSL_CTX_use_PrivateKey_file", context,
                                                        file, type);
}
int SSL_CTX_use_certificate_chain_file(SSL_CTX* context, const char* file) {
  return openssl<decltype(SSL_CTX_use_certificate_chain_file)>("SSL_CTX_use_certificate_chain_file",
                                                               context, file);
}
int SSL_accept(SSL* ssl) { return openssl<decltype(SSL_accept)>("SSL_accept", ssl); }
int SSL_connect(SSL* ssl) { return openssl<decltype(SSL_connect)>("SSL_connect", ssl); }
long SSL_ctrl(SSL* ssl, int command, long number, void* value) {
  return openssl<decltype(SSL_ctrl)>("SSL_ctrl", ssl, command, number, value);
}
void SSL_free(SSL* ssl) { return openssl<decltype(SSL_free)>("SSL_free", ssl); }
int SSL_get_error(const SSL* ssl, int result) {
  return openssl<decltype(SSL_get_error)>("SSL_get_error", ssl, result);
}
void* SSL_get_ex_data(const SSL* ssl, int index) {
  return openssl<decltype(SSL_get_ex_data)>("SSL_get_ex_data", ssl, index);
}
int SSL_get_shutdown(const SSL* ssl) {
  return openssl<decltype(SSL_get_shutdown)>("SSL_get_shutdown", ssl);
}
SSL* SSL_new(SSL_CTX* context) { return openssl<decltype(SSL_new)>("SSL_new", context); }
int SSL_read(SSL* ssl, void* data, int size) {
  return openssl<decltype(SSL_read)>("SSL_read", ssl, data, size);
}
void SSL_set_bio(SSL* ssl, BIO* read, BIO* write) {
  return openssl<decltype(SSL_set_bio)>("SSL_set_bio", ssl, read, write);
}
int SSL_set_ex_data(SSL* ssl, int index, void* data) {
  return openssl<decltype(SSL_set_ex_data)>("SSL_set_ex_data", ssl, index, data);
}
int SSL_shutdown(SSL* ssl) { return openssl<decltype(SSL_shutdown)>("SSL_shutdown", ssl); }
int SSL_write(SSL* ssl, const void* data, int size) {
  return openssl<decltype(SSL_write)>("SSL_write", ssl, data, size);
}
const SSL_METHOD* TLS_server_method() {
  return openssl<decltype(TLS_server_method)>("TLS_server_method");
}
}
