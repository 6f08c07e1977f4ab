import BackstitchSupport
import CloudWire

/// An upload that may break off and go on.
struct PartialUpload: Sendable {
    /// Most files of which a user may have sent a part.
    static let filesPerUser = 16
    /// How long a file is kept that nobody goes on with, in milliseconds; longer where uploads are.
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
