import BackstitchTestKit
import CloudWire
import Testing

@testable import BackstitchServer

/// Mailboxes that share their user's news have the same content as separate mailboxes.
@Suite("mailboxes of a user's devices") struct MailboxTests {
    private func notification(_ number: Int, ofQuery: Bool = false) -> PushNotification {
        PushNotification(
            container: "c", notificationID: "n", userRecordName: "u", subscriptionID: "s\(number)",
            subject: ofQuery ? .record(name: "r\(number)", change: .update, zone: nil) : .database)
    }

    @Test("whatever is posted and read in whatever order, each has what it would have alone", arguments: 0..<40)
    func shared(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var shared = (0..<4).map { _ in Mailbox(lastUsed: 0) }, alone = shared
        for step in 0..<300 {
            let box = Int.random(in: 0..<4, using: &random)
            if Int.random(in: 0..<5, using: &random) < 3 {
                #expect(shared[box].takeFirst() == alone[box].takeFirst(), "seed \(seed), step \(step)")
            } else {
                let ofQuery = Int.random(in: 0..<6, using: &random) == 0
                let numbers = Set(
                    (0..<Int.random(in: 1...6, using: &random)).map { _ in Int.random(in: 0..<8, using: &random) })
                let notifications = numbers.sorted().map { notification($0, ofQuery: ofQuery) }
                let news = MailboxNews(notifications)
                // Not all: the device that has made the change hears nothing.
                for index in shared.indices where index != box {
                    shared[index].add(news)
                    for notification in notifications { alone[index].add(notification) }
                }
            }
            #expect(shared.map(\.count) == alone.map(\.count), "seed \(seed), step \(step)")
        }
        for index in shared.indices {
            while let next = alone[index].takeFirst() { #expect(shared[index].takeFirst() == next, "seed \(seed)") }
            #expect(shared[index].takeFirst() == nil, "seed \(seed)")
        }
    }

    @Test("notifications beyond what a mailbox holds take the place of the oldest")
    func capacity() {
        var mailbox = Mailbox(lastUsed: 0)
        mailbox.add(MailboxNews((0..<1_200).map { notification($0) }))
        #expect(mailbox.count == 1_000)
        #expect(mailbox.takeFirst()?.subscriptionID == "s200")
        mailbox.add(MailboxNews((0..<900).map { notification($0) }))
        #expect(mailbox.count == 1_000)
    }
}
