/// Body of the answer to the bytes of a file: the value for the record's field.
public struct AssetUploadReceipt: Sendable, Hashable {
    /// The asset with its receipt, as the field's new value.
    public var singleFile: WireAsset

    /// Creates an answer for one file.
    public init(singleFile: WireAsset) {
        self.singleFile = singleFile
    }
}
