/// Why a record cannot become an object, or an object no record.
package struct RecordFault: Error, Sendable, Hashable {
    /// A text that says what is wrong with which field, and what was expected.
    package let reason: String

    /// A fault.
    package init(_ reason: String) { self.reason = reason }
}
