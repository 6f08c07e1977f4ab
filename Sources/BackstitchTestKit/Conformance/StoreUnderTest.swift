public import Backstitch
public import Foundation

/// A kind of store to test: its name, and a description of a store in a folder.
///
/// ```swift
/// StoreUnderTest("mine", lacking: [.derivedAttributes]) { folder in
///     PersistentStoreDescription(type: "Mine", url: folder.appending(path: "store"))
/// }
/// ```
/// For a durable store, all descriptions of one folder must mean the same store. Cases close a store and open it again,
/// and open it twice if it can be shared. A store on a server uses a database or a schema named after the folder, and
/// leaves the folder empty.
public struct StoreUnderTest: Sendable, CustomStringConvertible {
    /// The name in test reports.
    public let description: String
    /// Whether a container opened again on the same folder finds the data saved by the first one.
    public let isDurable: Bool
    /// The features that the store lacks.
    public let lacks: Set<StoreFeature>
    /// Describes the store in a folder.
    let describe: @Sendable (URL) -> PersistentStoreDescription

    /// A kind of store to test.
    ///
    /// Name exactly the features that it lacks: a named feature is never tested, and every other feature must work.
    ///
    /// - Parameter describe: Describes the store in a folder, which exists and is empty at first.
    public init(
        _ name: String, isDurable: Bool = true, lacking lacks: Set<StoreFeature> = [],
        describe: @escaping @Sendable (URL) -> PersistentStoreDescription
    ) {
        description = name
        self.isDurable = isDurable
        self.lacks = lacks
        self.describe = describe
    }

    /// Whether the store has all features that a case needs.
    public func mustShow(_ behaviour: ConformanceCase) -> Bool { lacks.isDisjoint(with: behaviour.features) }
}
