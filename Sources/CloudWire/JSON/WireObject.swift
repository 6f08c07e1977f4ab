/// A type whose JSON form is an object with known keys. One table of them serves both directions:
///
/// ```swift
/// /// Body of `users/lookup`.
/// public struct UsersLookupRequest: Sendable, Hashable {
///     /// The users to look up.
///     public var users: [UserLookup]
///     /// Most users in the answer.
///     public var resultsLimit: Int?
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
/// The kinds of lines are those of ``KeyCoding``. A table does nothing but list: it is run once to write, and to read
/// as often as it takes to meet all keys. So a key stands in one line only, a line is about one stored variable, and
/// what depends on several keys is a `check` or the business of a draft (``WireDrafted``). Keys that a table does not
/// list are skipped.
///
/// Two things are coded by hand: the fields of records (``WireField`` says why), and the search for the name of an
/// element that cannot be read.
protocol WireObject: WireCodable, JSONValue {
    /// The value of an object without keys, which the keys that are read change.
    static var blank: Self { get }

    /// Lists the keys in the order in which they are written.
    mutating func code(_ keys: inout some KeyCoder)
}

extension WireObject {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        withUnsafePointer(to: self) { object in writer.writeObject(object) { $0.code(&$1) } }
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> Self {
        var object = blank
        try reader.readObject { object.code(&$0) }
        return object
    }
}
