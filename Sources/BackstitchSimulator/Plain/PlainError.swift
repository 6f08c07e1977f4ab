/// An error of CloudKit Web Services: status, code and reason.
struct PlainError: Error {
    var status: Int
    var code: String
    var reason: String

    init(_ status: Int, _ code: String, _ reason: String) {
        (self.status, self.code, self.reason) = (status, code, reason)
    }

    static func badRequest(_ reason: String) -> PlainError { PlainError(400, "BAD_REQUEST", reason) }
    static let zoneNotFound = PlainError(404, "ZONE_NOT_FOUND", "the zone does not exist")

    /// The keys of a failed item in an answer.
    func item(_ more: KeyValuePairs<String, PlainJSON?>) -> PlainJSON {
        var item = PlainJSON.made(more)
        item["serverErrorCode"] = .string(code)
        item["reason"] = .string(reason)
        return item
    }
}
