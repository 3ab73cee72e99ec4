{{inside.js}}
{{anatomy.js}}
{{drawing_figure.js}}
{{formulas.js}}
{{numbers.js}}
{{view_figure.js}}
{{view_box.js}}
