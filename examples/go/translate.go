// Translates standard input, line by line, with the flags of `pkg-config attend-c`:
//
//	go run translate.go MODEL < in > out
package main

// #cgo pkg-config: attend-c
// #include <attend/c/attend.h>
// #include <stdlib.h>
import "C"

import (
	"bufio"
	"errors"
	"fmt"
	"log"
	"os"
	"unsafe"
)

// The error as one of Go. Frees it.
func goError(err *C.attend_error) error {
	defer C.attend_error_free(err)
	return errors.New(C.GoString(C.attend_error_message(err)))
}

func translate(model *C.attend_model, lines []string) ([]string, error) {
	texts := C.attend_texts_new()
	defer C.attend_texts_free(texts)
	var err *C.attend_error
	for _, line := range lines {
		text := C.CString(line)
		code := C.attend_texts_add(texts, text, C.int64_t(len(line)), &err)
		C.free(unsafe.Pointer(text))
		if code != C.ATTEND_OK {
			return nil, goError(err)
		}
	}
	result := C.attend_translate(model, texts, nil, nil, &err)
	if result == nil {
		return nil, goError(err)
	}
	defer C.attend_result_free(result)
	translations := make([]string, len(lines))
	for i := range translations {
		translations[i] = C.GoString(C.attend_result_text(result, C.int64_t(i), 0, nil))
	}
	return translations, nil
}

func run(path string) error {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var err *C.attend_error
	model := C.attend_load(name, nil, nil, &err)
	if model == nil {
		return goError(err)
	}
	defer C.attend_model_free(model)
	var lines []string
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		lines = append(lines, in.Text())
	}
	if in.Err() != nil {
		return in.Err()
	}
	translations, failure := translate(model, lines)
	for _, translation := range translations {
		fmt.Println(translation)
	}
	return failure
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: translate MODEL < in > out")
	}
	if err := run(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}
