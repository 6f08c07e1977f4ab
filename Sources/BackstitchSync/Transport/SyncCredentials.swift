import Backstitch
import CloudWire
import Foundation

/// The tokens that identify the program and the user to the server. They are never written to messages or logs.
struct SyncCredentials: Sendable, CustomStringConvertible, CustomReflectable {
    var apiToken: String?
    var webAuthToken: String?

    /// The tokens as parameters of an address, for servers that accept them nowhere else. All special characters are
    /// percent-encoded.
    var query: String {
        let pairs = [("ckAPIToken", apiToken), ("ckWebAuthToken", webAuthToken)]
            .compactMap { name, value in value.map { "\(name)=\(Self.encoded($0))" } }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }

    /// The tokens as headers. Logs and proxies store addresses, but not headers.
    var headers: [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        if let webAuthToken { headers.append(("Authorization", "Bearer \(webAuthToken)")) }
        if let apiToken { headers.append((WireHeader.parameters, "ckAPIToken=\(Self.encoded(apiToken))")) }
        return headers
    }

    /// The reason why these tokens cannot be sent to any server; nil if they can.
    var fault: BackstitchError? {
        let faulty = [("API token", apiToken), ("web token", webAuthToken)].first { !Self.isSendable($0.1 ?? "") }
        return faulty.map { name, _ in
            BackstitchError(
                .authentication,
                "the \(name) that setCredentials was given has a blank, a line break or the like in it; give it as the "
                    + "server's owner has made it")
        }
    }

    /// Returns whether a token may be in a header: visible characters of ASCII.
    static func isSendable(_ token: String) -> Bool { token.utf8.allSatisfy { (0x21...0x7E).contains($0) } }

    var isEmpty: Bool { apiToken == nil && webAuthToken == nil }

    var description: String { "SyncCredentials(hidden)" }

    var customMirror: Mirror { Mirror(self, children: []) }

    /// Returns the text with each byte that is not unreserved (RFC 3986 §2.3) as `%XX`, because tokens contain `+`, `/`
    /// and `=`.
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
