import BackstitchSupport

/// A reason why a token protects nothing.
enum TokenWeakness: Sendable, Hashable {
    /// It holds less than 128 bits.
    case short
    /// It repeats itself, or has few different characters.
    case pattern
    /// It is in documents or examples, or contains one of their placeholder words.
    case printed

    /// Fewest characters of a token: 128 bits in base64.
    static let shortest = 22
    /// Fewest different characters of a token. For 32 random hexadecimal digits, the chance to have fewer is 4 in 100
    /// million.
    static let distinct = 8

    /// Placeholder words for secrets in documents and templates. The chance for a random token of this server to
    /// contain one is below 1 in 100 million.
    private static let words = [
        "example", "changeme", "change-me", "placeholder", "password", "your-token", "yourtoken",
    ]

    /// Digests of publicly printed tokens: in the documents of this project and of CloudKit Web Services, and as usual
    /// fillers of templates. They are kept as digests, so a file of digests can be checked too.
    private static let printedDigests: Set<String> = [
        // 0123456789abcdef four times over
        "a8ae6e6ee929abea3afcfc5258c8ccd6f85273e0d4626d26c7279f3250f77c8e",
        // no bytes at all: the value of an unset variable
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    ]

    /// Finds the weakness of a token; nil if none is visible.
    init?(of token: String, sha256: [UInt8]) {
        let bytes = Array(token.utf8)
        if bytes.count < Self.shortest {
            self = .short
        } else if Set(bytes).count < Self.distinct || Self.repeats(bytes) {
            self = .pattern
        } else if Self.isPrinted(sha256) || Self.hasWord(token) {
            self = .printed
        } else {
            return nil
        }
    }

    /// Whether a digest belongs to a publicly printed token.
    static func isPrinted(_ sha256: [UInt8]) -> Bool { printedDigests.contains(sha256.hexadecimal) }

    /// Whether a text of at most 256 bytes is one piece repeated, with the last repetition possibly cut. Complexity:
    /// O(count²).
    private static func repeats(_ bytes: [UInt8]) -> Bool {
        bytes.count <= 256
            && (1...bytes.count / 2).contains { period in
                (period..<bytes.count).allSatisfy { bytes[$0] == bytes[$0 - period] }
            }
    }

    private static func hasWord(_ token: String) -> Bool {
        let token = token.lowercased()
        return words.contains { token.contains($0) }
    }

    /// The token's fault and the remedy, for messages.
    var text: String {
        let advice = "a token needs 128 random bits; `backstitch token` makes one"
        return switch self {
        case .short: "it could be guessed: it has less than \(Self.shortest) characters, and \(advice)"
        case .pattern: "it could be guessed: it repeats itself or has few different characters, and \(advice)"
        case .printed: "it is a public sample from documents or templates; \(advice)"
        }
    }
}
