// Translates standard input, line by line:
//   rustc translate.rs -L LIB && ./translate MODEL < in > out
use std::ffi::{c_void, CStr, CString};
use std::io::BufRead;
use std::os::raw::c_char;
use std::ptr::{null, null_mut};

type Handle = *mut c_void; // attend_error*, attend_model*, ...

#[link(name = "attend")]
extern "C" {
    fn attend_error_message(error: Handle) -> *const c_char;
    fn attend_error_free(error: Handle);
    fn attend_load(path: *const c_char, runtime: Handle, cancel: Handle, error: *mut Handle) -> Handle;
    fn attend_model_free(model: Handle);
    fn attend_texts_new() -> Handle;
    fn attend_texts_add(texts: Handle, text: *const u8, length: i64, error: *mut Handle) -> i32;
    fn attend_texts_free(texts: Handle);
    fn attend_translate(model: Handle, texts: Handle, options: *const c_void, cancel: Handle, error: *mut Handle) -> Handle;
    fn attend_result_text(result: Handle, item: i64, choice: i64, length: *mut i64) -> *const c_char;
    fn attend_result_free(result: Handle);
}

// The object that `call` makes, or the message of its error.
fn checked(call: impl FnOnce(*mut Handle) -> Handle) -> Result<Handle, String> {
    let mut error = null_mut();
    let made = call(&mut error);
    if error.is_null() { return Ok(made); }
    let message = unsafe { CStr::from_ptr(attend_error_message(error)) }.to_string_lossy().into_owned();
    unsafe { attend_error_free(error) };
    Err(message)
}

struct Translator(Handle);

impl Translator {
    fn load(path: &str) -> Result<Translator, String> {
        let path = CString::new(path).map_err(|e| e.to_string())?;
        checked(|e| unsafe { attend_load(path.as_ptr(), null_mut(), null_mut(), e) }).map(Translator)
    }

    fn translate(&self, line: &str) -> Result<String, String> {
        unsafe {
            let texts = attend_texts_new();
            attend_texts_add(texts, line.as_ptr(), line.len() as i64, null_mut()); // a str is UTF-8
            let result = checked(|e| attend_translate(self.0, texts, null(), null_mut(), e));
            attend_texts_free(texts);
            let result = result?;
            let text = CStr::from_ptr(attend_result_text(result, 0, 0, null_mut())).to_string_lossy().into_owned();
            attend_result_free(result);
            Ok(text)
        }
    }
}

impl Drop for Translator {
    fn drop(&mut self) { unsafe { attend_model_free(self.0) } }
}

fn run() -> Result<(), String> {
    let path = std::env::args().nth(1).ok_or("usage: translate MODEL < in > out")?;
    let translator = Translator::load(&path)?;
    for line in std::io::stdin().lock().lines() {
        println!("{}", translator.translate(&line.map_err(|e| e.to_string())?)?);
    }
    Ok(())
}

fn main() {
    if let Err(message) = run() {
        eprintln!("{message}");
        std::process::exit(1);
    }
}
