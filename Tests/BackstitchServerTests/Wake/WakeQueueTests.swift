import BackstitchSupport
import CloudWire
import Crypto
import Foundation
import Testing

@testable import BackstitchServer

/// A key as Apple gives one.
enum P256Key {
    static let pem = P256.Signing.PrivateKey().pemRepresentation
}

/// Pushes that wait.
@Suite struct WakeQueueTests {
    private func push(_ device: UInt8, _ subscription: String = "s", at time: Int64 = 1) throws -> WakePush {
        let token = WakeToken(bytes: Array(repeating: device, count: 32))
        return try WakePush(
            PushNotification(
                container: "c", notificationID: "n\(time)", userRecordName: "u", subscriptionID: subscription,
                subject: .database),
            to: StoredWakeDevice(tenantID: 1, token: token, isDevelopment: false, registered: 0), topic: "t",
            in: DatabaseKey(tenant: "c/production", scope: .private, owner: "u"), id: "id", at: time)
    }

    @Test("pushes about one subscription on one device are one, the last, in the place of the first")
    func coalesces() throws {
        let queue = WakeQueue()
        let added = queue.add([try push(1, at: 1), try push(2), try push(1, "other"), try push(1, at: 9)])
        #expect(added == 0 && queue.count == 3)
        let taken = [queue.take(), queue.take(), queue.take()].map { $0?.push }
        #expect(taken.map { $0?.created } == [9, 1, 1])
        #expect(taken.map { $0?.device.token.bytes.first } == [1, 2, 1])
        #expect(queue.take() == nil && queue.count == 0)
        #expect(try Set([push(1), push(2), push(1, "other"), push(1, at: 9)].map(\.collapseID)).count == 2)
    }

    @Test("when there are too many the oldest go, and are counted")
    func bounded() throws {
        let queue = WakeQueue(most: 3)
        #expect(queue.add(try (1...5).map { try push(UInt8($0)) }) == 2)
        #expect(queue.count == 3)
        #expect([queue.take(), queue.take(), queue.take()].map { $0?.push.device.token.bytes[0] } == [3, 4, 5])
        var item = WakeQueue.Item(push: try push(1))
        item.due = 1_000
        for device in 1...3 {
            item.push = try push(UInt8(device))
            queue.putBack(item)
        }
        #expect(queue.add([try push(9)]) == 1 && queue.count == 3)
        #expect(queue.take()?.push.device.token.bytes[0] == 9)
    }

    @Test("a push that failed waits for its time, and gives way to a newer one")
    func later() throws {
        let queue = WakeQueue()
        var item = WakeQueue.Item(push: try push(1))
        item.due = 1_000
        item.attempts = 2
        queue.putBack(item)
        #expect(queue.take() == nil && queue.count == 1)
        #expect(queue.release(at: 999) == 1_000)
        #expect(queue.take() == nil)
        // The newer one waits as long: APNs has said when it is taken.
        #expect(queue.add([try push(1, at: 50)]) == 0 && queue.count == 1)
        #expect(queue.take() == nil)
        #expect(queue.release(at: 1_000) == nil)
        let taken = queue.take()
        #expect(taken?.push.created == 50 && taken?.attempts == 2)
        _ = queue.add([try push(1, at: 60)])
        if let taken { queue.putBack(taken) }
        #expect(queue.count == 1 && queue.take()?.push.created == 60)
        queue.putBack(item)
        #expect(queue.add([try push(2)]) == 0 && queue.count == 2)
        queue.end()
        #expect(queue.count == 1 && queue.take()?.push.device.token.bytes[0] == 2)
        queue.putBack(item)
        #expect(queue.count == 0 && queue.release(at: .max) == nil)
    }

    @Test("many pushes pass through it in order")
    func many() throws {
        let queue = WakeQueue()
        let base = try push(1)
        var sent: [Int64] = []
        for round in 0..<40 {
            let pushes = try (0..<100).map { try push(1, "s\(round * 100 + $0)", at: Int64(round * 100 + $0)) }
            #expect(queue.add(pushes) == 0)
            for _ in 0..<90 { sent.append(queue.take()?.push.created ?? -1) }
        }
        while let item = queue.take() { sent.append(item.push.created) }
        #expect(sent == (0..<4_000).map { Int64($0) } && queue.count == 0)
        #expect(base.payload.count < 300)
    }

    @Test("a text that does not fit into a push is left out, and the app woken instead")
    func large() throws {
        var notification = PushNotification(
            container: "c", notificationID: "n", userRecordName: "u", subscriptionID: "s", subject: .database)
        notification.presentation = .init()
        notification.presentation?.alertBody = String(repeating: "x", count: 4_096)
        let device = StoredWakeDevice(
            tenantID: 1, token: WakeToken(bytes: Array(repeating: 1, count: 32)), isDevelopment: false, registered: 0)
        let database = DatabaseKey(tenant: "c/production", scope: .private, owner: "u")
        // As JSON the second would have some 900 MB.
        for arguments in [nil, Array(repeating: String(repeating: "x", count: 1_000_000), count: 900)] {
            if arguments != nil { notification.presentation?.alertBody = "b" }
            notification.presentation?.alertLocalizationArgs = arguments
            let push = try WakePush(notification, to: device, topic: "t", in: database, id: "i", at: 1)
            #expect(!push.isVisible && push.payload.count < 300)
            #expect(push.headers.contains { $0 == ("apns-push-type", "background") })
        }
    }

    @Test("tokens of devices come as hexadecimal digits or base64, and are one either way")
    func tokens() throws {
        let bytes = (0..<32).map { UInt8($0 * 7) }
        let token = try #require(WakeToken(bytes.hexadecimal))
        #expect(WakeToken(bytes.hexadecimal.uppercased()) == token)
        #expect(WakeToken(Data(bytes).base64EncodedString()) == token && token.bytes == bytes)
        #expect(WakeToken(Array(repeating: UInt8(1), count: 100).hexadecimal) != nil)
        for text in [
            "", "feed", bytes.dropLast().map(\.self).hexadecimal, String(repeating: "ab", count: 101), "1-AAAA",
            String(repeating: "?", count: 64), bytes.hexadecimal + "0",
        ] { #expect(WakeToken(text) == nil, "\(text)") }
    }
}
