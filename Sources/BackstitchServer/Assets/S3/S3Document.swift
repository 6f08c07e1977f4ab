#if TLS
/// The answers of a store: XML of elements and texts alone, without attributes that would matter.
struct S3Document: Sendable {
    private let text: Substring

    init(_ text: some StringProtocol) { self.text = Substring(text) }

    /// The text of the first element of that name; nil when there is none.
    func text(_ name: String) -> String? { elements(name).first.map { Self.unescaped($0.text) } }

    /// The elements of that name, which lie in none of the same name.
    func elements(_ name: String) -> [S3Document] {
        var result: [S3Document] = []
        var rest = text
        while let start = rest.firstRange(of: "<\(name)") {
            rest = rest[start.upperBound...]
            // Else a longer name that begins like this one.
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

    private static func unescaped(_ text: Substring) -> String {
        guard text.contains("&") else { return String(text) }
        return [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#34;", "\""), ("&apos;", "'"), ("&#39;", "'")]
            .reduce(String(text)) { $0.replacing($1.0, with: $1.1) }.replacing("&amp;", with: "&")
    }
}
#endif
