import Foundation

/// The assets of several stores: read from the first store that has them.
struct UnionAssets: AssetStorage {
    let stores: [any AssetStorage]
    /// The storage for new assets, since it is not known yet which store will refer to them.
    let first: any AssetStorage

    func reference(to data: Data) -> AssetReference { first.reference(to: data) }

    func write(_ contents: AssetContents) throws { try first.write(contents) }

    func accept(_ data: Data, as reference: AssetReference) throws { try first.accept(data, as: reference) }

    func read(_ reference: AssetReference) throws -> Data? {
        for store in stores {
            if let data = try store.read(reference) { return data }
        }
        return nil
    }

    func read(_ reference: AssetReference, _ range: Range<Int64>) throws -> Data? {
        for store in stores {
            if let data = try store.read(reference, range) { return data }
        }
        return nil
    }

    func url(of reference: AssetReference) -> URL? { stores.lazy.compactMap { $0.url(of: reference) }.first }

    func adopt(_ file: URL, as reference: AssetReference) throws { try first.adopt(file, as: reference) }

    func contains(_ reference: AssetReference) -> Bool { stores.contains { $0.contains(reference) } }

    func present(among references: Set<AssetReference>) -> Set<AssetReference> {
        stores.reduce(into: []) { $0.formUnion($1.present(among: references.subtracting($0))) }
    }

    func remove(_ reference: AssetReference) throws {
        for store in stores where store.contains(reference) { try store.remove(reference) }
    }
}
