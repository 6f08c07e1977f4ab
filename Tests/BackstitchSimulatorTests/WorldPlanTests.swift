import BackstitchSimulator
import Testing

@Suite("the plans of worlds")
struct WorldPlanTests {
    @Test("the second processes on a store of public data and on another one make different keys", arguments: 1...10)
    func secondProcesses(seed: UInt64) {
        let plan = WorldPlan(seed: seed)
        #expect(plan.seedOfSecondProcess(isPublic: true) != plan.seedOfSecondProcess(isPublic: false))
    }
}
