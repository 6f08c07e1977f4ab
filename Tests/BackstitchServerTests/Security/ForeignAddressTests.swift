import BackstitchSupport
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

@Suite("addresses that callers name") struct ForeignAddressTests {
    @Test("the server calls none of them", arguments: StorageKind.allCases)
    func none(_ kind: StorageKind) async throws {
        let listener = try Listener(at: .port(0))
        let calls = Locked(0)
        listener.forEachConnection { _ in calls.withLock { $0 += 1 } }
        defer { listener.stop() }
        let addresses = [
            try listener.url.absoluteString, "http://169.254.169.254/latest/meta-data/",
            "http://[::1]:\(try listener.port)/", "file:///etc/passwd",
        ]
        try await withServer(on: kind) { client, _ in
            try await client.makeZone()
            let asset = try AssetUploadReceipt(wireJSON: try await client.upload([1, 2, 3]).body).singleFile
            for (number, address) in addresses.enumerated() {
                var taken = asset
                taken.downloadURL = address
                try await client.save("r\(number)", ["file": .asset(taken), "link": .string(address)])
                guard case .asset(let kept)? = try await client.lookup(["r\(number)"])[0].record().value("file") else {
                    throw TestFailure("no asset")
                }
                // The address is the server's own, for every sent one.
                #expect(kept.downloadURL?.hasPrefix(client.base) == true)
                let token = PushToken(apnsEnvironment: "development", webcourierURL: address, clientId: address)
                let made: PushToken = try await client.call(.tokensCreate, token)
                #expect(made.webcourierURL?.hasPrefix(client.base) == true)
                var subscription = WireSubscription(subscriptionID: "s\(number)", subscriptionType: .database)
                subscription.notificationInfo = .init()
                subscription.notificationInfo?.alertLaunchImage = address
                subscription.notificationInfo?.soundName = address
                try await client.mustSubscribe(subscription)
                try await client.save(.forceUpdate, "r\(number)", ["n": .int64(1)])
            }
            #expect(calls.withLock { $0 } == 0)
        }
    }
}
