import BackstitchSupport

/// Why a token is none that keeps anybody out.
enum TokenWeakness: Sendable, Hashable {
    /// It holds less than 128 bits.
    case short
    /// It repeats itself, or has few different characters.
    case pattern
    /// It is in documents or examples, or has a word of such.
    case printed

    /// Characters that a token needs to hold 128 bits, in base64.
    static let shortest = 22
    /// Different characters of a token. Of 32 random hexadecimal digits the chance to have fewer is 4 in 100 million.
    static let distinct = 8

    /// Words by which documents and templates name a secret that is to be replaced. A random token of this server has
    /// one of them by a chance of less than 1 in 100 million.
    private static let words = [
        "example", "changeme", "change-me", "placeholder", "password", "your-token", "yourtoken",
    ]

    /// Digests of tokens that are printed where everybody reads them: in the documents of this project and of CloudKit
    /// Web Services, and as the usual fillers of templates. Digests, so that a file of them is found out as well.
    private static let printedDigests: Set<String> = [
        // 0123456789abcdef four times over
        "a8ae6e6ee929abea3afcfc5258c8ccd6f85273e0d4626d26c7279f3250f77c8e",
        // no bytes at all, which a variable that is not set comes to
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    ]

    /// The weakness of a token; nil for none that can be seen.
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

    /// Whether it is the digest of a token that is printed somewhere.
    static func isPrinted(_ sha256: [UInt8]) -> Bool { printedDigests.contains(sha256.hexadecimal) }

    /// Whether a text of usual length is a piece, several times over, perhaps not whole at the end. Complexity:
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

    /// The fault of the token, and what to do.
    var text: String {
        let advice = "a token needs 128 random bits; `backstitch token` makes one"
        return switch self {
        case .short: "it could be guessed: it has less than \(Self.shortest) characters, and \(advice)"
        case .pattern: "it could be guessed: it repeats itself or has few different characters, and \(advice)"
        case .printed: "it is a sample that everybody can read in documents or templates; \(advice)"
        }
    }
}
