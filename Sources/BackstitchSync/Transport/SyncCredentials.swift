import Backstitch
import CloudWire
import Foundation

/// The tokens by which the server knows program and user. They never go into messages or logs.
struct SyncCredentials: Sendable, CustomStringConvertible, CustomReflectable {
    var apiToken: String?
    var webAuthToken: String?

    /// The tokens as parameters of an address, percent-encoded whole, for servers that take them nowhere else.
    var query: String {
        let pairs = [("ckAPIToken", apiToken), ("ckWebAuthToken", webAuthToken)]
            .compactMap { name, value in value.map { "\(name)=\(Self.encoded($0))" } }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }

    /// The tokens as headers, which no log and no proxy keeps as it keeps addresses.
    var headers: [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        if let webAuthToken { headers.append(("Authorization", "Bearer \(webAuthToken)")) }
        if let apiToken { headers.append((WireHeader.parameters, "ckAPIToken=\(Self.encoded(apiToken))")) }
        return headers
    }

    /// Why no server can be sent these; nil where it can.
    var fault: BackstitchError? {
        let faulty = [("API token", apiToken), ("web token", webAuthToken)].first { !Self.isSendable($0.1 ?? "") }
        return faulty.map { name, _ in
            BackstitchError(
                .authentication,
                "the \(name) that setCredentials was given has a blank, a line break or the like in it; give it as the "
                    + "server's owner has made it")
        }
    }

    /// Whether a token may stand in a header: visible characters of ASCII.
    static func isSendable(_ token: String) -> Bool { token.utf8.allSatisfy { (0x21...0x7E).contains($0) } }

    var isEmpty: Bool { apiToken == nil && webAuthToken == nil }

    var description: String { "SyncCredentials(hidden)" }

    var customMirror: Mirror { Mirror(self, children: []) }

    /// Every byte that is not unreserved (RFC 3986 §2.3) as `%XX`: tokens hold `+`, `/` and `=`.
    private static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += String(format: "%%%02X", byte)
            }
        }
        return result
    }
}
