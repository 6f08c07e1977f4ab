#if TLS
/// An answer of a store: XML with elements and texts. Attributes are ignored.
struct S3Document: Sendable {
    private let text: Substring

    init(_ text: some StringProtocol) { self.text = Substring(text) }

    /// The text of the first element with this name; nil if there is none.
    func text(_ name: String) -> String? { elements(name).first.map { Self.unescaped($0.text) } }

    /// The elements with this name, without those inside another of the same name.
    func elements(_ name: String) -> [S3Document] {
        var result: [S3Document] = []
        var rest = text
        while let start = rest.firstRange(of: "<\(name)") {
            rest = rest[start.upperBound...]
            // Otherwise it is a longer name with the same beginning.
            guard let next = rest.first, next == ">" || next == "/" || next.isWhitespace else { continue }
            guard let head = rest.firstIndex(of: ">") else { break }
            let isEmpty = rest[..<head].hasSuffix("/")
            rest = rest[rest.index(after: head)...]
            if isEmpty {
                result.append(S3Document(""))
                continue
            }
            guard let end = rest.firstRange(of: "</\(name)>") else { break }
            result.append(S3Document(rest[..<end.lowerBound]))
            rest = rest[end.upperBound...]
        }
        return result
    }

    /// The text with its entities replaced.
    private static func unescaped(_ text: Substring) -> String {
        guard text.contains("&") else { return String(text) }
        return [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#34;", "\""), ("&apos;", "'"), ("&#39;", "'")]
            .reduce(String(text)) { $0.replacing($1.0, with: $1.1) }.replacing("&amp;", with: "&")
    }
}
#endif
