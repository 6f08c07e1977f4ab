/// The fields of a record with an unreadable one among them. A client sets such a record aside as a whole. Without that
/// field it would look the same as a record that lacks it.
package struct FaultyFields: Sendable, Hashable {
    /// The name of the first such field, and the reason why it cannot be read.
    package let reason: String
    /// The original `fields` object, with all its faults. The record is written with it.
    let json: [UInt8]
}
