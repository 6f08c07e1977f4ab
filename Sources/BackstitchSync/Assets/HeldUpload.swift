package import Backstitch

/// Assets that are uploaded before their records are sent, while other changes continue: one large asset, or several
/// smaller ones together.
package struct HeldUpload: Sendable, Hashable {
    /// Identifies it among the uploads of this process.
    let number: Int
    /// The number of the zone.
    package let zone: Int64
    /// The objects whose changes wait for the upload.
    package let keys: [ObjectKey]

    /// Creates a held upload.
    package init(number: Int, zone: Int64, keys: [ObjectKey]) {
        (self.number, self.zone, self.keys) = (number, zone, keys)
    }
}
