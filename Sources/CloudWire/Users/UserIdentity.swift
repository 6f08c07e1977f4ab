/// Body of the answer of `users/caller`: who the caller is.
public struct UserIdentity: Sendable, Hashable {
    /// Record name of the user.
    public var userRecordName: String

    /// A user.
    public init(userRecordName: String) {
        self.userRecordName = userRecordName
    }
}

extension UserIdentity: WireCodable {
    /// Writes the identity at the top and once more in `users`, because clients look in both places.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writeKeys(to: &writer)
        writer.key("users")
        writer.beginArray()
        writer.beginObject()
        writeKeys(to: &writer)
        writer.endObject()
        writer.endArray()
        writer.endObject()
    }

    private func writeKeys(to writer: inout JSONWriter) {
        writer.key("userRecordName")
        writer.string(userRecordName)
        writer.key("nameComponents")
        writer.raw("{}".utf8)
        writer.key("lookupInfo")
        writer.raw("{}".utf8)
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> UserIdentity {
        var name: String?
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "userRecordName": name = try reader.readStringOrNull() ?? name
            case "users":
                let users = try reader.readArrayOrNull(of: UserIdentity.self)
                name = name ?? users?.first?.userRecordName
            default: try reader.skip()
            }
        }
        guard let name else { throw reader.wrongValue("a user needs a userRecordName") }
        return UserIdentity(userRecordName: name)
    }
}
