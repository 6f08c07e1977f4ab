import Backstitch

/// Why a record cannot become an object, or an object no record.
package struct RecordFault: Error, Sendable, Hashable {
    /// The fault of an encryption key that the record needs.
    enum Key: Sendable, Hashable {
        /// The provider was not asked for the key of that name yet.
        case unasked(String)
        /// It does not have it.
        case missing(String)
        /// It has one of that name and fingerprint, which does not fit.
        case misfit(String, String)
        /// There is no key to encrypt with.
        case noCurrent
    }

    /// A text that says what is wrong with which field, and what was expected.
    package let reason: String
    /// The key that is at fault, if one is.
    let key: Key?
    /// Whether the user has no right to what was asked for.
    var isDenied = false
    /// Whether bytes of large values are to be put into the record first.
    var awaitsBytes = false
    /// Whether it holds as long as an upload is paused.
    var isHeld = false
    /// The object on which it hangs, of which the fault is that its change is not sent.
    var parent: ObjectKey?

    /// A fault.
    package init(_ reason: String) { self.init(reason, key: nil) }

    init(_ reason: String, key: Key?) { (self.reason, self.key) = (reason, key) }
}
