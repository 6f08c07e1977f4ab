/// A type whose JSON form is an object with known keys. One table of them serves both directions:
///
/// ```swift
/// /// Body of `users/lookup`.
/// package struct UsersLookupRequest: Sendable, Hashable {
///     /// The users to look up.
///     package var users: [UserLookup]
///     /// Most users in the answer.
///     package var resultsLimit: Int?
/// }
///
/// extension UsersLookupRequest: WireObject {
///     static var blank: Self { Self(users: []) }
///
///     mutating func code(_ keys: inout some KeyCoder) {
///         keys.value("users", &users, else: "users/lookup needs users")
///         keys.optional("resultsLimit", &resultsLimit)
///     }
/// }
/// ```
///
/// The kinds of lines are those of ``KeyCoding``. A table must only list its lines. It runs once to write. To read, it
/// runs until all keys have met their lines. So each key is in one line only, and a line is about one stored variable.
/// A condition on several keys is a `check`, or belongs in a draft (``WireDrafted``). Keys outside the table are
/// skipped.
///
/// Two parts are coded by hand: the fields of records (``WireField`` has the reason), and the search for the name of an
/// unreadable element.
protocol WireObject: WireCodable, JSONValue {
    /// The value of an object without keys. Each key that is read changes it.
    static var blank: Self { get }

    /// Lists the keys in the order of writing.
    mutating func code(_ keys: inout some KeyCoder)
}

extension WireObject {
    /// Appends the JSON form by the table.
    package func write(to writer: inout JSONWriter) {
        withUnsafePointer(to: self) { object in writer.writeObject(object) { $0.code(&$1) } }
    }

    /// Reads the JSON form leniently, by the table.
    package static func read(from reader: inout JSONReader) throws(WireCodingError) -> Self {
        var object = blank
        try reader.readObject { object.code(&$0) }
        return object
    }
}
