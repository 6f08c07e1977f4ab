import BackstitchSupport
import Foundation

/// Makes and checks the marks by which the server knows its own tokens, receipts and addresses again.
///
/// Each purpose has a key of its own, made from the storage's secret, so that a mark for one purpose is worth nothing
/// for another.
struct TokenSigner: Sendable {
    enum Purpose: String, Sendable, CaseIterable {
        case syncToken = "sync token"
        case upload = "asset upload"
        case receipt = "asset receipt"
        case download = "asset download"
        case continuation = "query continuation"
        case hiddenContinuation = "hidden query continuation"
        case renewal = "token renewal"
        case indexMaker = "index maker"
        case token
        case pushToken = "push token"
    }

    private let keys: [Purpose: [UInt8]]

    init(secret: [UInt8]) {
        keys = Dictionary(
            uniqueKeysWithValues: Purpose.allCases.map { purpose in
                (purpose, HKDFSHA256.key(from: secret, info: Data(purpose.rawValue.utf8)))
            })
    }

    /// The first bytes of an HMAC-SHA256 over the parts. Each part is preceded by its length, so that no two lists of
    /// parts are the same message.
    func mark(_ purpose: Purpose, _ parts: [[UInt8]], count: Int = 18) -> [UInt8] {
        guard let key = keys[purpose] else { preconditionFailure("every purpose has a key") }
        var message: [UInt8] = []
        for part in parts {
            message += UInt64(part.count).bigEndianBytes
            message += part
        }
        return Array(HMACSHA256.code(for: message, key: key).prefix(count))
    }

    /// A token's text: random bytes, and a mark by which every server of the storage knows, without a look at the
    /// storage, that a server made it. Whether it is honoured still is for the storage to say.
    func token(of secret: [UInt8]) -> String {
        (secret + mark(.token, [secret], count: Self.shortMark)).base64URL
    }

    /// Whether a server of the storage has made a token of this text.
    func hasMade(_ text: String) -> Bool {
        guard text.utf8.count == Self.charactersOfToken, let bytes = [UInt8](base64URL: text),
            bytes.count == Self.secretLength + Self.shortMark
        else { return false }
        return isGenuine(bytes.suffix(Self.shortMark), .token, [Array(bytes.prefix(Self.secretLength))])
    }

    /// Bytes of a token that are random, and those of the mark behind them.
    static let secretLength = 32, shortMark = 12
    /// 44 bytes in base64url.
    private static let charactersOfToken = 59

    func isGenuine(_ mark: some Collection<UInt8>, _ purpose: Purpose, _ parts: [[UInt8]]) -> Bool {
        constantTimeEquals(mark, self.mark(purpose, parts, count: mark.count))
    }
}
