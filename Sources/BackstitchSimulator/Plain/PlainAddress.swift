import Backstitch
import Foundation

/// The parts of a URL: path and query.
struct PlainAddress {
    var path: [String]
    var query: [String: String] = [:]

    init(_ url: String) {
        let parts = url.split(separator: "?", maxSplits: 1)
        var rest = parts.first.map(String.init) ?? ""
        if let scheme = rest.range(of: "://") { rest = String(rest[scheme.upperBound...].drop { $0 != "/" }) }
        path = rest.split(separator: "/").map(String.init)
        guard parts.count == 2 else { return }
        for pair in parts[1].split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1)
            if sides.count == 2 { query[String(sides[0])] = sides[1].removingPercentEncoding ?? String(sides[1]) }
        }
    }
}
