import BackstitchSupport
import Foundation

/// An ID token (OpenID Connect Core 1.0 §2) in its compact form (RFC 7515 §3.1): read, not verified.
struct IDToken: Sendable {
    /// The parts of the header in use. Others, such as `jwk` and `jku`, are ignored, since they would let the token
    /// decide its own verification.
    struct Header: Sendable {
        let algorithm: SignInProvider.Algorithm
        let keyID: String?
    }

    /// Most bytes of a token. Providers' tokens have one to three thousand.
    static let largest = 16_384

    let header: Header
    let claims: IDTokenClaims
    /// The signed text: the first two parts, and the dot between them.
    let signed: [UInt8]
    let signature: [UInt8]

    /// Reads the text of a token.
    ///
    /// - Throws: ``IDTokenFault`` for text of another form, and for a header that is never accepted.
    init(_ text: String) throws(IDTokenFault) {
        guard text.utf8.count <= Self.largest else { throw IDTokenFault("is larger than \(Self.largest) bytes") }
        let parts = text.split(atByte: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if parts.count == 5 { throw IDTokenFault("is encrypted; this server reads tokens that are signed") }
        guard parts.count == 3 else { throw IDTokenFault("does not have the three parts of a signed token") }
        let header = try Self.bytes(parts[0], "header"), payload = try Self.bytes(parts[1], "payload")
        signature = try Self.bytes(parts[2], "signature")
        signed = Array(parts[0].utf8) + [UInt8(ascii: ".")] + Array(parts[1].utf8)
        self.header = try Self.header(header)
        do { claims = try JSONDecoder().decode(IDTokenClaims.self, from: Data(payload)) } catch {
            throw IDTokenFault("has no claims that can be read: \(Self.place(of: error))")
        }
    }

    /// The bytes of a part. Only one spelling is accepted, so a valid token has no second text.
    private static func bytes(_ part: Substring, _ name: String) throws(IDTokenFault) -> [UInt8] {
        guard let bytes = [UInt8](base64URL: part), bytes.base64URL.utf8.elementsEqual(part.utf8) else {
            throw IDTokenFault("has a \(name) that is not base64url")
        }
        return bytes
    }

    private struct HeaderKeys: Decodable {
        var alg: String
        var kid: String?
        var typ: String?
        var crit: Present?

        /// A value of any kind.
        struct Present: Decodable {
            init(from _: any Decoder) {}
        }
    }

    private static func header(_ bytes: [UInt8]) throws(IDTokenFault) -> Header {
        let keys: HeaderKeys
        do { keys = try JSONDecoder().decode(HeaderKeys.self, from: Data(bytes)) } catch {
            throw IDTokenFault("has a header that cannot be read: \(Self.place(of: error))")
        }
        guard let algorithm = SignInProvider.Algorithm(word: keys.alg) else {
            if keys.alg.asciiLowercased.isSame(as: "none") { throw IDTokenFault("is not signed: its alg is none") }
            if keys.alg.begins(with: "HS") {
                throw IDTokenFault("has an alg with a shared secret; a provider signs with a private key")
            }
            throw IDTokenFault("has an alg that is not known here")
        }
        guard keys.crit == nil else { throw IDTokenFault("needs extensions (crit), which this server does not have") }
        // Access tokens and others for servers have types of their own (RFC 9068 §2.1).
        guard keys.typ?.asciiLowercased.isSame(as: "jwt") ?? true else {
            throw IDTokenFault("is not an ID token by its typ")
        }
        guard keys.kid.map({ $0.utf8.count <= 1_024 }) ?? true else {
            throw IDTokenFault("has a kid of over 1024 bytes")
        }
        return Header(algorithm: algorithm, keyID: keys.kid)
    }

    /// The place of a fault in JSON, without any of its content.
    private static func place(of error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _): "\(key.stringValue) is missing"
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            "\(context.codingPath.first?.stringValue ?? "it") is of another type"
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
            "\(context.codingPath[0].stringValue) has no meaning"
        default: "it is not a JSON object"
        }
    }
}
