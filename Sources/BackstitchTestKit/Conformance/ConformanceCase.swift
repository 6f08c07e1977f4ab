import Backstitch

/// One behaviour that a store must have.
///
/// The name describes it in words and is its identity. A test target that leaves a case out gives its name and the
/// reason. Cases share nothing, and may run at once.
public struct ConformanceCase: Sendable, CustomStringConvertible {
    /// The behaviour, in words.
    public let name: String
    /// The features that a store must have for it; empty when every store must have it.
    public let features: Set<StoreFeature>
    /// Throws a ``ConformanceFailure`` if the behaviour differs. Closes what it opened, if the case needs that.
    private let body: @Sendable (TestBench) async throws -> Void

    /// A case for stores with these features.
    init(
        _ name: String, needs features: StoreFeature...,
        body: @escaping @Sendable (TestBench) async throws -> Void
    ) {
        self.init(name, features: Set(features), body: body)
    }

    /// A case for stores with this set of features.
    init(
        _ name: String, features: Set<StoreFeature>, body: @escaping @Sendable (TestBench) async throws -> Void
    ) {
        self.name = name
        self.features = features
        self.body = body
    }

    /// The name of the case, for test reports.
    public var description: String { name }

    /// Tests the behaviour on a new store. Does nothing when the store lacks a needed feature.
    ///
    /// - Throws: ``ConformanceFailure`` when the store behaves differently; any unexpected error of the store.
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
