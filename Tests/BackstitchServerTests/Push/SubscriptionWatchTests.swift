import BackstitchSupport
import BackstitchTestKit
import Testing

@testable import BackstitchServer

/// The watch remembers the state last reported to each token, although a user's tokens share it. It is compared with a
/// plain model that remembers the state for each token separately.
@Suite("the watch of subscriptions") struct SubscriptionWatchTests {
    private typealias Heads = [StoredWatch.Key: StoredWatch.Head]

    private struct World {
        let watch = SubscriptionWatch()
        var random: SeededGenerator
        var now: Heads = [:]
        /// The news that each token was told last.
        var told: [PushTokenKey: Heads] = [:]
        let tokens = (0..<5).map { number in
            PushTokenKey(tenantID: 1, digest: TokenDigest(of: strong("device \(number)")))
        }

        init(seed: UInt64) { random = SeededGenerator(seed: seed) }

        mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }

        func watches(_ tokens: some Sequence<PushTokenKey>) -> [StoredWatch] {
            tokens.map { StoredWatch(token: StoredPushToken(key: $0, tenant: "t", user: "u"), heads: now) }
        }

        private func key(_ number: Int) -> StoredWatch.Key { StoredWatch.Key(ownerID: 1, id: "s\(number)") }

        mutating func change() -> [FiredSubscription] {
            let numbers = Set((0...roll(3)).map { _ in roll(6) })
            for number in numbers {
                var head = now[key(number)] ?? StoredWatch.Head(database: 0, zone: 0, epoch: 1, zoneName: "z\(number)")
                head.zone += 1
                now[key(number)] = head
            }
            return numbers.sorted().map { FiredSubscription(user: "u", subscriptionID: "s\($0)", zone: "z\($0)") }
        }

        /// A change that this server tells to all but one of the watched tokens.
        mutating func tell() {
            let fired = change()
            let author = roll(2) == 0 ? tokens[roll(5)] : nil
            let heard = tokens.filter { $0 != author }
            var all = Addressees(ownerID: 1)
            all.devices = [UserDevices(tokens: heard, fired: fired)]
            watch.note(watches(tokens), all)
            for token in heard where told[token] != nil {
                for subscription in fired {
                    let key = StoredWatch.Key(ownerID: 1, id: subscription.subscriptionID)
                    told[token]?[key] = now[key]
                }
            }
        }

        mutating func begin() {
            let token = tokens[roll(5)]
            watch.begin(watches([token]))
            if told[token] == nil { told[token] = now }
        }

        mutating func end() {
            let token = tokens[roll(5)]
            watch.keep { $0 != token }
            told[token] = nil
        }

        mutating func look(_ seed: UInt64) {
            let findings = watch.compare(watches(tokens), tokens: watch.tokens(of: ["u"]))
            var fired: [PushTokenKey: Set<String>] = [:], gone: [PushTokenKey: Set<String>] = [:]
            for group in findings.fired {
                for token in group.tokens { fired[token.key, default: []].formUnion(group.subscriptions.keys) }
            }
            for group in findings.gone {
                for token in group.tokens { gone[token.key, default: []].insert(group.subscriptionID) }
            }
            for (token, before) in told {
                let expected = Set(now.filter { before[$0.key] != $0.value }.map(\.key.id))
                #expect(fired[token, default: []] == expected, "seed \(seed)")
                #expect(
                    gone[token, default: []] == Set(before.keys.filter { now[$0] == nil }.map(\.id)), "seed \(seed)")
                told[token] = now
            }
            #expect(findings.lost.isEmpty && Set(fired.keys).isSubset(of: told.keys), "seed \(seed)")
        }
    }

    @Test("finds for each token what it was not told, whoever changes and tells what", arguments: 0..<40)
    func model(_ seed: UInt64) {
        var world = World(seed: seed)
        for _ in 0..<200 {
            switch world.roll(8) {
            case 0...1: world.begin()
            case 2: world.end()
            case 3...4: world.tell()
            // Another server's.
            case 5: _ = world.change()
            case 6: if let key = world.now.keys.sorted(by: { $0.id < $1.id }).first { world.now[key] = nil }
            default: world.look(seed)
            }
        }
        world.look(seed)
    }

    @Test("news of a query that another server's lie between are told with the next look")
    func ordinals() throws {
        var world = World(seed: 1)
        let key = StoredWatch.Key(ownerID: 1, id: "q")
        func head(_ firings: Int64) -> StoredWatch.Head {
            var head = StoredWatch.Head(database: 0, zone: 0, epoch: 0, zoneName: nil)
            head.firings = firings
            return head
        }
        func told(_ ordinal: Int64) -> Addressees {
            var fired = FiredSubscription(user: "u", subscriptionID: "q")
            fired.ordinal = ordinal
            var all = Addressees(ownerID: 1)
            all.devices = [UserDevices(tokens: world.tokens, fired: [fired])]
            return all
        }
        world.now = [key: head(1)]
        world.watch.begin(world.watches(world.tokens))
        world.now = [key: head(2)]
        world.watch.note(world.watches(world.tokens), told(2))
        #expect(world.watch.compare(world.watches(world.tokens), tokens: world.tokens).fired.isEmpty)
        world.now = [key: head(4)]
        world.watch.note(world.watches(world.tokens), told(4))
        let findings = world.watch.compare(world.watches(world.tokens), tokens: world.tokens)
        #expect(findings.fired.map(\.subscriptions) == [["q": 2]] && findings.fired[0].tokens.count == 5)
    }
}
