import Backstitch

/// The reason why a record cannot become an object, or an object cannot become a record.
package struct RecordFault: Error, Sendable, Hashable {
    /// The fault of an encryption key that the record needs.
    enum Key: Sendable, Hashable {
        /// The provider was not asked for this key yet.
        case unasked(String)
        /// The provider does not have this key.
        case missing(String)
        /// The provider has a key with this name and fingerprint, but it does not fit.
        case misfit(String, String)
        /// There is no key to encrypt with.
        case noCurrent
    }

    /// A text that names the field, the fault and the expected value.
    package let reason: String
    /// The key with the fault, if there is one.
    let key: Key?
    /// Whether the user has no right to the request.
    var isDenied = false
    /// Whether the bytes of large values must be put into the record first.
    var awaitsBytes = false
    /// Whether an object of another entity has the record's key.
    var hasTakenKey = false
    /// Whether it holds only while an upload is paused.
    var isHeld = false
    /// The object's parent, if the fault is that the parent's change is not sent.
    var parent: ObjectKey?

    /// Creates a fault without a key.
    package init(_ reason: String) { self.init(reason, key: nil) }

    init(_ reason: String, key: Key?) { (self.reason, self.key) = (reason, key) }
}
