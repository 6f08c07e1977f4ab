/// The fields of a record of which one cannot be read. Who gets the record sets it aside as a whole: without that field
/// it would look like one that does not have it.
package struct FaultyFields: Sendable, Hashable {
    /// Names the first such field, and says why it cannot be read.
    package let reason: String
    /// The `fields` object as it came, faults and all. The record is written with it.
    let json: [UInt8]
}
