#pragma once

namespace catena::view {

// The files of planners/view/web, as they are.
extern const char* const kPageHtml;
extern const char* const kPageCss;
extern const char* const kPageJs;

}  // namespace catena::view
