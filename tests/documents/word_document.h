// The text of a small Word file.
#pragma once

namespace attend {

inline constexpr const char* kWordDocument =
    "<?xml version=\"1.0\"?><w:document><w:body><w:p><w:pPr><w:b/></w:pPr>"
    "<w:r><w:rPr><w:b/></w:rPr><w:t>a bold</w:t></w:r>"
    "<w:r><w:t xml:space=\"preserve\"> word &amp; </w:t></w:r><w:r><w:tab/></w:r>"
    "<w:hyperlink r:id=\"x\"><w:r><w:t>a link</w:t></w:r></w:hyperlink></w:p>"
    "<w:p><w:r><w:t>next</w:t></w:r></w:p></w:body></w:document>";

}  // namespace attend
