/// A line of text with a caret under one place, for messages.
enum CaretText {
    /// The length of text shown on each side of the place.
    private static let reach = 60

    /// Returns `text` on one line, and `^` under the scalar at `position` on the next. A long text is cut on both
    /// sides.
    static func pointing(at position: Int, in text: [Unicode.Scalar]) -> String {
        let start = max(0, position - reach)
        let end = min(text.count, position + reach)
        let before = (start > 0 ? "…" : "") + line(text[start..<min(position, text.count)])
        let after = line(text[min(position, text.count)..<end]) + (end < text.count ? "…" : "")
        return "  \(before)\(after)\n  \(String(repeating: " ", count: before.count))^"
    }

    /// The scalars as text, with spaces instead of line ends and other controls.
    private static func line(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        String(
            String.UnicodeScalarView(
                scalars.map { $0.value < 0x20 || ScalarSet.lineEnds.contains($0.value) ? " " : $0 }))
    }
}
