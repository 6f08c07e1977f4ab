/// Body of the answer to the bytes of a file: the value to put into the record's field.
public struct AssetUploadReceipt: Sendable, Hashable {
    /// The asset, with its receipt.
    public var singleFile: WireAsset

    /// An answer.
    public init(singleFile: WireAsset) {
        self.singleFile = singleFile
    }
}
