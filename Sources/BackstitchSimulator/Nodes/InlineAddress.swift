import Backstitch
import BackstitchSupport
import HTTPTypes
import Hummingbird
import NIOCore

/// The parts of a URL: authority, path and query.
struct InlineAddress {
    let authority: String
    let path: String
    let query: Substring

    init(_ url: String) {
        let bytes = url.utf8
        let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.startIndex
        let rest = bytes[colon...].drop { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
        let host = rest.prefix { $0 != UInt8(ascii: "/") }
        authority = String(url[host.startIndex..<host.endIndex])
        let target = rest[host.endIndex...].prefix { $0 != UInt8(ascii: "?") }
        path = target.isEmpty ? "/" : String(url[target.startIndex..<target.endIndex])
        query = url[target.endIndex...].dropFirst()
    }
}
