import BackstitchSupport
import Foundation

/// Makes and checks marks. By a mark the server recognises its own tokens, receipts and addresses.
///
/// Each purpose has its own key, derived from the storage's secret. So a mark for one purpose is invalid for another.
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

    /// The first bytes of an HMAC-SHA256 over the parts. Each part is preceded by its length, so different lists of
    /// parts are different messages.
    func mark(_ purpose: Purpose, _ parts: [[UInt8]], count: Int = 18) -> [UInt8] {
        guard let key = keys[purpose] else { preconditionFailure("every purpose has a key") }
        var message: [UInt8] = []
        for part in parts {
            message += UInt64(part.count).bigEndianBytes
            message += part
        }
        return Array(HMACSHA256.code(for: message, key: key).prefix(count))
    }

    /// A token's text: random bytes and a mark. The mark tells every server of the storage, without a read of the
    /// storage, that a server made the token. Only the storage knows whether it is still valid.
    func token(of secret: [UInt8]) -> String {
        (secret + mark(.token, [secret], count: Self.shortMark)).base64URL
    }

    /// Whether a server of the storage has made a token with this text.
    func hasMade(_ text: String) -> Bool {
        guard text.utf8.count == Self.charactersOfToken, let bytes = [UInt8](base64URL: text),
            bytes.count == Self.secretLength + Self.shortMark
        else { return false }
        return isGenuine(bytes.suffix(Self.shortMark), .token, [Array(bytes.prefix(Self.secretLength))])
    }

    /// The number of random bytes in a token, and the number of bytes in the mark behind them.
    static let secretLength = 32, shortMark = 12
    /// The length of 44 bytes in base64url.
    private static let charactersOfToken = 59

    func isGenuine(_ mark: some Collection<UInt8>, _ purpose: Purpose, _ parts: [[UInt8]]) -> Bool {
        constantTimeEquals(mark, self.mark(purpose, parts, count: mark.count))
    }
}
