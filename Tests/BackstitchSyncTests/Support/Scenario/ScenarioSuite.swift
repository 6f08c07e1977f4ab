import Testing

/// A suite whose tests have a scenario each. It needs the trait ``Testing/Trait/scenario``.
protocol ScenarioSuite {}

extension ScenarioSuite {
    /// The scenario of the test that runs.
    var s: Scenario { get throws { try #require(Scenario.current) } }
}

/// Gives a test, or each test of a suite, a scenario.
struct ScenarioTrait: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await Scenario.run { _ in try await function() }
    }
}

extension Trait where Self == ScenarioTrait {
    static var scenario: Self { Self() }
}
