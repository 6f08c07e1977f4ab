package import Foundation

/// A store over another one. The store below answers the requests that the layer does not answer itself.
///
/// The defaults of ``PersistentStore`` are for stores that lack a feature; a layer has the features of the store below
/// it. Names, options, opening and removal belong to a type, so no instance can forward them.
package protocol StoreLayer: PersistentStore, ReadingLayer {
    /// The store below this layer.
    var base: any PersistentStore { get }
}

extension StoreLayer {
    /// The store below, as the source of rows.
    package var readingBase: any StoreReading { base }

    /// Identifies the content of the store below.
    public var identifier: UUID { base.identifier }

    /// Lets the store below write a save.
    public func save(_ request: SaveChangesRequest) throws -> SaveResult { try base.save(request) }

    /// Lets the store below execute a batch request.
    public func execute(_ request: StoreBatchRequest) throws -> StoreChanges { try base.execute(request) }

    /// Returns a snapshot of the store below.
    public func makeSnapshot() throws -> (any StoreSnapshot)? { try base.makeSnapshot() }

    /// The asset storage of the store below.
    public var assets: any AssetStorage { base.assets }

    /// Whether bytes of the store below may be elsewhere.
    public var hasAssetsElsewhere: Bool { base.hasAssetsElsewhere }

    /// Lets the store below delete bytes that are no longer named.
    public func collectAssets() throws -> Int { try base.collectAssets() }

    /// The journal of the store below.
    public var journal: (any JournalingStore)? { base.journal }

    /// Whether other processes write to the store below.
    public var isWrittenByOthers: Bool { base.isWrittenByOthers }

    /// The number of requests that the store below serves at the same time.
    public var concurrency: Int { base.concurrency }

    /// Closes the store below.
    public func close() throws { try base.close() }
}
