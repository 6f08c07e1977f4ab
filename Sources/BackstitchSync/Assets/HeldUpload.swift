package import Backstitch

/// Assets whose records are not sent before the server has the bytes, while other changes go on: a large one, or some
/// smaller ones that go together.
package struct HeldUpload: Sendable, Hashable {
    /// Tells it from others of this process.
    let number: Int
    /// The number of the zone.
    package let zone: Int64
    /// The objects whose changes wait.
    package let keys: [ObjectKey]

    /// A held upload.
    package init(number: Int, zone: Int64, keys: [ObjectKey]) {
        (self.number, self.zone, self.keys) = (number, zone, keys)
    }
}
