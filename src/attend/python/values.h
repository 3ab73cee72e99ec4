// Results as values: objects of Python that can be compared, copied and pickled.
#pragma once

#include <nanobind/nanobind.h>

#include <new>
#include <tuple>
#include <utility>

namespace attend {

// `state_of` returns the state of an object as a tuple; `restore` makes an object of it. Objects
// are equal if their states are. As they could be changed through their lists, they have no hash.
template <class T, class StateOf, class Restore>
void add_value_methods(nanobind::class_<T>& type, StateOf state_of, Restore restore) {
  namespace nb = nanobind;
  using State = decltype(state_of(std::declval<const T&>()));
  type.def("__getstate__", state_of);
  type.def("__setstate__",
           [restore](T& object, const State& state) { new (&object) T(restore(state)); });
  type.def(
      "__eq__",
      [](const nb::object& own, const nb::object& other) -> nb::object {
        if (!own.type().is(other.type())) return nb::borrow(Py_NotImplemented);
        const auto state = [](const nb::object& one) { return one.attr("__getstate__")(); };
        return nb::cast(state(own).equal(state(other)));
      },
      nb::arg("other").none());
  type.attr("__hash__") = nb::none();
}

// For a struct whose state is these members. The others keep their defaults.
template <class T, class... Members>
void add_value_members(nanobind::class_<T>& type, Members T::*... members) {
  using State = std::tuple<Members...>;
  add_value_methods(
      type, [=](const T& object) { return State(object.*members...); },
      [=](const State& state) {
        T object{};
        std::tie(object.*members...) = state;
        return object;
      });
}

}  // namespace attend
