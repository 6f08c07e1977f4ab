/// An error of the wire: the whole body of an answer, or the part of an item that tells why the item failed.
public struct WireError: Error, Sendable, Hashable, CustomStringConvertible {
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
        code == .badRequest && reason.hasPrefix(Self.limitExceededPrefix)
    }

    /// How the reason of an error about a limit begins.
    public static let limitExceededPrefix = "limit exceeded"

    /// The reason of the BAD_REQUEST about a change token that is not honoured.
    public static let expiredTokenReason = "sync token expired"
}

extension WireError: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writeKeys(to: &writer)
        writer.endObject()
    }

    /// Writes the keys alone, into an object that the caller has begun.
    func writeKeys(to writer: inout JSONWriter) {
        writer.optionalString("uuid", uuid)
        writer.key("serverErrorCode")
        writer.string(code.rawValue)
        writer.key("reason")
        writer.string(reason)
        writer.optionalInt("retryAfter", retryAfter)
        writer.optionalString("redirectURL", redirectURL)
    }

    /// - Throws: ``WireCodingError`` also when the object has no `serverErrorCode`.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> WireError {
        var keys = ErrorKeys()
        try reader.enterObject()
        while let key = try reader.nextKey() {
            if try !keys.read(key, from: &reader) { try reader.skip() }
        }
        guard let error = keys.error else { throw reader.wrongValue("an error needs a serverErrorCode") }
        return error
    }
}

/// The keys of an error, met among the keys of an item.
struct ErrorKeys {
    private var code: String?
    private var reason: String?
    private var uuid: String?
    private var retryAfter: Int?
    private var redirectURL: String?

    /// The error, if the item had an error code. A code that is none of the fourteen becomes INTERNAL_ERROR, named in
    /// the reason.
    var error: WireError? {
        guard let code else { return nil }
        let known = WireErrorCode(rawValue: code)
        let text = reason ?? ""
        return WireError(
            known ?? .internalError, known == nil ? "\(text) (unknown serverErrorCode \(code))" : text, uuid: uuid,
            retryAfter: retryAfter, redirectURL: redirectURL)
    }

    mutating func read(_ key: JSONKey, from reader: inout JSONReader) throws(WireCodingError) -> Bool {
        switch key {
        case "serverErrorCode": code = try reader.readStringOrNull()
        case "reason": reason = try reader.readStringOrNull()
        case "uuid": uuid = try reader.readStringOrNull()
        case "retryAfter":
            guard let seconds = try reader.readDoubleOrNull() else { return true }
            retryAfter = Int(min(max(seconds.rounded(.up), 0), 1e9))
        case "redirectURL": redirectURL = try reader.readStringOrNull()
        default: return false
        }
        return true
    }
}
