import BackstitchSupport

/// An error of the wire: the whole body of an answer, or the part of an item with the reason of its failure.
package struct WireError: Error, Sendable, CustomStringConvertible {
    /// The kind of the error.
    package var code: WireErrorCode
    /// The cause, in words for a person.
    package var reason: String
    /// Identifies this occurrence in logs. It is always present at the top level.
    package var uuid: String?
    /// The seconds to wait before the next attempt.
    package var retryAfter: Int?
    /// The address where a user can sign in.
    package var redirectURL: String?

    package init(
        _ code: WireErrorCode, _ reason: String, uuid: String? = nil, retryAfter: Int? = nil, redirectURL: String? = nil
    ) {
        self.code = code
        self.reason = reason
        self.uuid = uuid
        self.retryAfter = retryAfter
        self.redirectURL = redirectURL
    }

    /// The code and the reason as text.
    package var description: String { "\(code.rawValue): \(reason)" }

    /// True for the error about a request that is too large, and can be split.
    package var isLimitExceeded: Bool {
        code == .badRequest && reason.begins(with: Self.limitExceededPrefix)
    }

    /// The beginning of the reason, for an error about a limit.
    package static let limitExceededPrefix = "limit exceeded"

    /// The reason of the BAD_REQUEST for a change token that the server refuses.
    package static let expiredTokenReason = "sync token expired"
}

extension WireError: Hashable {
    /// Compares all parts, and the reason byte by byte.
    package static func == (left: WireError, right: WireError) -> Bool {
        left.code == right.code && left.reason.isSame(as: right.reason) && left.uuid == right.uuid
            && left.retryAfter == right.retryAfter && left.redirectURL == right.redirectURL
    }

    /// Hashes the code and the reason's bytes.
    package func hash(into hasher: inout Hasher) {
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
