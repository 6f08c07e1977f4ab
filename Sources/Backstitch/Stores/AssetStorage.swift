public import Foundation

/// Bytes of external attributes by the names that rows give them.
public typealias AssetContents = [AssetReference: Data]

/// Bytes kept outside the rows, by their content's name.
public protocol AssetStorage: Sendable {
    /// The name that bytes have here. Keeps nothing.
    func reference(to data: Data) -> AssetReference
    /// Keeps bytes durably under their names, which are taken on trust. When it throws, some of them may be kept.
    ///
    /// - Complexity: O(bytes). The disk is waited for a few times in all, not for each of them.
    func write(_ contents: AssetContents) throws
    /// The bytes of that name; nil when they are not here.
    func read(_ reference: AssetReference) throws -> Data?
    /// Whether the bytes of that name are here.
    func contains(_ reference: AssetReference) -> Bool
    /// Keeps bytes that came from elsewhere under their name.
    ///
    /// - Throws: ``BackstitchError/Code/asset`` when their length, or a checksum of ours, is not the reference's.
    func accept(_ data: Data, as reference: AssetReference) throws
    /// Forgets the bytes of that name, if they are here.
    func remove(_ reference: AssetReference) throws
}

extension AssetStorage {
    /// Keeps bytes durably and gives their name. Equal bytes are kept once.
    public func write(_ data: Data) throws -> AssetReference {
        let reference = reference(to: data)
        try write([reference: data])
        return reference
    }
}
