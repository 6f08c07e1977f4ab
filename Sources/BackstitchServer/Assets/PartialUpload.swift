import BackstitchSupport
import CloudWire

/// An upload that may be interrupted and continued.
struct PartialUpload: Sendable {
    /// The maximum number of incomplete files of a user.
    static let filesPerUser = 16
    /// The milliseconds after which an unused incomplete file is removed. The retention of uploads replaces this time
    /// if it is longer.
    static let lifetime: Int64 = 24 * 3_600_000

    let upload: AssetReceipts.Upload
    let content: AssetReceipts.Content
    let name: PartialName

    init(_ upload: AssetReceipts.Upload, _ content: AssetReceipts.Content) {
        self.upload = upload
        self.content = content
        name = PartialName(upload, content)
    }
}
