; What a function that catches exceptions tells the unwinder, one for each thread, as the unwinder of Debian's Emscripten has it. Its clang, of an
; earlier LLVM, makes one for all threads, so that no exception is recognized by its type; it takes this one where it is in the module already.
target datalayout = "e-m:e-p:32:32-p10:8:8-p20:8:8-i64:64-f128:64-n32:64-S128-ni:1:10:20"
target triple = "wasm32-unknown-emscripten"

@__wasm_lpad_context = external thread_local(localexec) global { i32, i8*, i32 }
@llvm.compiler.used = appending global [1 x i8*] [i8* bitcast ({ i32, i8*, i32 }* @__wasm_lpad_context to i8*)], section "llvm.metadata"
