import BackstitchSupport

/// An error of the wire: the whole body of an answer, or the part of an item that tells why the item failed.
public struct WireError: Error, Sendable, CustomStringConvertible {
    /// The kind of error.
    public var code: WireErrorCode
    /// The cause, for a person to read.
    public var reason: String
    /// Names this occurrence in logs; always there at the top level.
    public var uuid: String?
    /// Seconds to wait before trying again.
    public var retryAfter: Int?
    /// Where a user can sign in.
    public var redirectURL: String?

    /// An error with all its parts.
    public init(
        _ code: WireErrorCode, _ reason: String, uuid: String? = nil, retryAfter: Int? = nil, redirectURL: String? = nil
    ) {
        self.code = code
        self.reason = reason
        self.uuid = uuid
        self.retryAfter = retryAfter
        self.redirectURL = redirectURL
    }

    /// The code and the reason.
    public var description: String { "\(code.rawValue): \(reason)" }

    /// True for the error about a request that is too large and may be split.
    public var isLimitExceeded: Bool {
        code == .badRequest && reason.begins(with: Self.limitExceededPrefix)
    }

    /// How the reason of an error about a limit begins.
    public static let limitExceededPrefix = "limit exceeded"

    /// The reason of the BAD_REQUEST about a change token that is not honoured.
    public static let expiredTokenReason = "sync token expired"
}

extension WireError: Hashable {
    /// Whether both say the same, byte by byte.
    public static func == (left: WireError, right: WireError) -> Bool {
        left.code == right.code && left.reason.isSame(as: right.reason) && left.uuid == right.uuid
            && left.retryAfter == right.retryAfter && left.redirectURL == right.redirectURL
    }

    /// Feeds the error to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        reason.hashBytes(into: &hasher)
    }
}

extension WireError: WireDrafted {
    var draft: ErrorKeys {
        ErrorKeys(
            uuid: uuid, serverErrorCode: code.rawValue, reason: reason, retryAfter: retryAfter, redirectURL: redirectURL
        )
    }

    init(_ draft: ErrorKeys, from reader: borrowing JSONReader) throws(WireCodingError) {
        guard let error = draft.error else { throw reader.wrongValue("an error needs a serverErrorCode") }
        self = error
    }
}
