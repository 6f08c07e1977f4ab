import NIOHTTP1

/// How long a provider's document may be kept, in seconds (RFC 9111 §5.2), within bounds.
struct DocumentLife: Sendable, Hashable {
    let seconds: Int64

    /// The bounds of the time: a provider must not be asked all the time, nor never. Without a statement of the
    /// provider, a document is kept for an hour.
    static let bounds: ClosedRange<Int64> = 60...86_400
    static let usual: Int64 = 3_600

    /// - Parameter headers: The headers of the answer. `Expires` is ignored, since it needs the provider's clock.
    init(_ headers: HTTPHeaders) {
        var life: Int64?
        for directive in headers[canonicalForm: "cache-control"] {
            let parts = directive.lowercased().split(separator: "=", maxSplits: 1)
            switch parts.first.map({ $0.filter { $0 != " " } }) {
            case "no-store", "no-cache": life = 0
            case "max-age":
                let age = parts.count > 1 ? Int64(parts[1].filter { $0 != "\"" && $0 != " " }) : nil
                life = min(life ?? .max, max(age ?? 0, 0))
            default: break
            }
        }
        let age = headers.first(name: "age").flatMap { Int64($0) } ?? 0
        let rest = life.map { $0 - min(max(age, 0), $0) } ?? Self.usual
        seconds = min(max(rest, Self.bounds.lowerBound), Self.bounds.upperBound)
    }
}
