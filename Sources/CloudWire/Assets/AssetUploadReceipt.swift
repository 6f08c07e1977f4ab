/// Body of the answer to the bytes of a file: the value for the record's field.
package struct AssetUploadReceipt: Sendable, Hashable {
    /// The asset with its receipt, as the field's new value.
    package var singleFile: WireAsset

    package init(singleFile: WireAsset) {
        self.singleFile = singleFile
    }
}
