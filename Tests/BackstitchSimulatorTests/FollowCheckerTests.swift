import Backstitch
import BackstitchSimulator
import Testing

@Suite("the checker of what devices follow")
struct FollowCheckerTests {
    private static let a = ObjectKey(high: 1, low: 0xA), b = ObjectKey(high: 1, low: 0xB)
    private static let near = ["text": "1", "rank": "5"], far = ["text": "1", "rank": "250000"]

    /// The objects of the server and of a device that follows low ranks, and the expected fault.
    struct Sight: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var server: FollowChecker.Objects = [a: near]
        var here: FollowChecker.Objects = [a: near]
        var own: Set<ObjectKey> = []
        /// Of a server without a feed.
        var leavesOutDepartures = false
        var datedBack: Set<ObjectKey> = []
        /// A part of the fault; nil for no fault.
        var fault: String?
    }

    static let sights: [Sight] = [
        Sight(testDescription: "what is followed is here, as the server has it"),
        Sight(testDescription: "what is followed and is not here is missed", here: [:], fault: "lacks"),
        Sight(
            testDescription: "what is here otherwise than there is a fault", here: [a: ["text": "0", "rank": "5"]],
            fault: "and the server as"),
        Sight(testDescription: "what is not followed is not here", server: [a: near, b: far]),
        Sight(
            testDescription: "what came without being followed is a fault", server: [a: near, b: far],
            here: [a: near, b: far], fault: "neither follows nor has changed"),
        Sight(
            testDescription: "what the device has changed stays", server: [a: near, b: far], here: [a: near, b: far],
            own: [b]),
        Sight(
            testDescription: "what was deleted and stays is a fault", here: [a: near, b: near],
            fault: "not what it follows any more"),
        Sight(
            testDescription: "what left what is followed and stays is a fault, whoever has changed it",
            server: [a: near, b: far], here: [a: near, b: near], own: [b], fault: "not what it follows any more"),
        Sight(
            testDescription: "without a feed it stays for a while", server: [a: near, b: far],
            here: [a: near, b: near], leavesOutDepartures: true),
        Sight(
            testDescription: "without a feed all that is followed is here all the same", here: [:],
            leavesOutDepartures: true, fault: "lacks"),
        Sight(
            testDescription: "a change that was dated back too far is not asked for", here: [:],
            leavesOutDepartures: true, datedBack: [a]),
    ]

    @Test("finds what is wrong, and only that", arguments: sights)
    func judge(_ sight: Sight) {
        let checker = FollowChecker(
            server: sight.server, leavesOutDepartures: sight.leavesOutDepartures, datedBack: sight.datedBack)
        let faults = checker.faults(of: "x", following: [.low], with: sight.here, own: sight.own)
        if let fault = sight.fault {
            #expect(faults.count == 1 && faults[0].contains(fault), "\(faults)")
        } else {
            #expect(faults == [])
        }
    }

    @Test("each part is told from the others by what it asks for")
    func parts() {
        func asking(_ object: [String: String]) -> Set<Follow> { Set(Follow.allCases.filter { $0.asks(for: object) }) }
        #expect(asking([:]) == [.all])
        #expect(asking(["rank": "199999", "topic": "sport"]) == [.all, .low, .middle, .sport])
        #expect(asking(["rank": "200000", "topic": "news"]) == [.all, .middle, .newsOrWeather, .news])
        #expect(asking(["rank": "300000", "topic": "news of old", "author": "bob"]) == [.all, .news, .ofBob])
        #expect(asking(["rank": "300000", "topic": "weather"]) == [.all])
    }
}
