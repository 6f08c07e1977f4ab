import Backstitch

/// One behaviour that a store must have.
///
/// The name says it in words and is its identity: a test target that leaves a case out names it, and says why. Cases
/// share nothing, and may run at once.
public struct ConformanceCase: Sendable, CustomStringConvertible {
    /// The behaviour, in words.
    public let name: String
    /// The features that a store must have for it; empty when every store must have it.
    public let features: Set<StoreFeature>
    /// Throws a ``ConformanceFailure`` where the behaviour is another; closes what it opened where that matters.
    private let body: @Sendable (TestBench) async throws -> Void

    /// A case for stores that have these features.
    init(
        _ name: String, needs features: StoreFeature...,
        body: @escaping @Sendable (TestBench) async throws -> Void
    ) {
        self.init(name, features: Set(features), body: body)
    }

    /// A case for stores that have this set of features.
    init(
        _ name: String, features: Set<StoreFeature>, body: @escaping @Sendable (TestBench) async throws -> Void
    ) {
        self.name = name
        self.features = features
        self.body = body
    }

    /// The behaviour.
    public var description: String { name }

    /// Tries the behaviour on a store of its own; does nothing when the store says that it lacks what it needs.
    ///
    /// - Throws: ``ConformanceFailure`` when the store behaves otherwise; any error of the store that the case does not
    ///   expect.
    public func run(on store: StoreUnderTest) async throws {
        guard store.mustShow(self) else { return }
        let bench = try TestBench(store)
        do {
            try await body(bench)
        } catch {
            try? bench.remove()
            throw error
        }
        try bench.remove()
    }
}
