package import Foundation

/// A store over another one, which has the requests that the layer does not answer itself.
///
/// The defaults of ``PersistentStore`` are for stores that lack something; a layer has what the store below it has.
/// Names, options, opening and removal belong to a type, and no instance can forward them.
package protocol StoreLayer: PersistentStore, ReadingLayer {
    /// The store below.
    var base: any PersistentStore { get }
}

extension StoreLayer {
    /// The store below.
    package var readingBase: any StoreReading { base }

    /// Names the content of the store below.
    public var identifier: UUID { base.identifier }

    /// Has the store below write a save.
    public func save(_ request: SaveChangesRequest) throws -> SaveResult { try base.save(request) }

    /// Has the store below carry a batch request out.
    public func execute(_ request: StoreBatchRequest) throws -> StoreChanges { try base.execute(request) }

    /// The store below as it is now.
    public func makeSnapshot() throws -> (any StoreSnapshot)? { try base.makeSnapshot() }

    /// Where the store below keeps bytes outside its rows.
    public var assets: any AssetStorage { base.assets }

    /// Whether bytes of the store below may be elsewhere.
    public var hasAssetsElsewhere: Bool { base.hasAssetsElsewhere }

    /// Has the store below let go of bytes that nothing names.
    public func collectAssets() throws -> Int { try base.collectAssets() }

    /// The journal of the store below.
    public var journal: (any JournalingStore)? { base.journal }

    /// Whether other processes write to the store below.
    public var isWrittenByOthers: Bool { base.isWrittenByOthers }

    /// How many requests the store below serves at the same time.
    public var concurrency: Int { base.concurrency }

    /// Closes the store below.
    public func close() throws { try base.close() }
}
