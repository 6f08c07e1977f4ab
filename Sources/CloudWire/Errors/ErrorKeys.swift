import BackstitchSupport

/// The keys of an error, alone or among the keys of an item.
struct ErrorKeys: WireObject {
    var uuid: String?
    var serverErrorCode: String?
    var reason: String?
    var retryAfter: Int?
    var redirectURL: String?

    static var blank: Self { Self() }

    /// Whether the item is an error.
    var isGiven: Bool { serverErrorCode != nil }

    /// The error, if the item has an error code. An unknown code becomes INTERNAL_ERROR, and the reason names it.
    var error: WireError? {
        guard let code = serverErrorCode else { return nil }
        let known = WireErrorCode(word: code)
        let text = reason ?? ""
        return WireError(
            known ?? .internalError, known == nil ? "\(text) (unknown serverErrorCode \(code))" : text, uuid: uuid,
            retryAfter: retryAfter, redirectURL: redirectURL)
    }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.optional("uuid", &uuid)
        keys.optional("serverErrorCode", &serverErrorCode)
        keys.text("reason", &reason, most: nil)
        keys.field("retryAfter", if: retryAfter != nil, else: nil) {
            retryAfter?.write(to: &$0)
        } read: { (reader) throws(WireCodingError) in
            if try reader.readNull() { return false }
            retryAfter = Int(min(max(try reader.readDouble().rounded(.up), 0), 1e9))
            return true
        }
        keys.opaque("redirectURL", &redirectURL)
    }
}
