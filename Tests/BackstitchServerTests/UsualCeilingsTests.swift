import CloudWire
import Testing

@testable import BackstitchServer

/// A server without configured ceilings has the ones that Documentation/ServerLimits.md promises. The other tests lower
/// them, and would pass even if the defaults grew.
@Suite("ceilings of a server that is told none")
struct UsualCeilingsTests {
    private let server = ZoneServerConfiguration(storage: .memory)

    @Test("a request and its answer are bounded as documented")
    func requests() {
        #expect(
            server.standardLimits.headerValue
                == "operations=200; bytes=8388608; page=200; record=1048576; asset=52428800; answer=4194304")
        #expect(
            server.extendedLimits.headerValue
                == "operations=2000; bytes=8388608; page=2000; record=1048576; asset=52428800; answer=8388608")
    }

    @Test("every quota of a user is the documented one")
    func quotas() {
        let usual = """
            records=5000000, bytes=21474836480, zones=1000, subscriptions=200, push-tokens=100, kept-answers=1000, \
            kept-answer-bytes=67108864, databases=100, uploads=8, requests-at-once=256, bytes-at-once=50331648, \
            requests-per-second=200
            """
        #expect(UserQuotas.help == usual)
        #expect(server.userQuotas == UserQuotas())
    }

    @Test("connections are as many, and wait as long, as documented")
    func connections() {
        #expect(server.connectionsPerAddress == 512)
        #expect(server.headTimeout == 10 && server.idleTimeout == 90 && server.bodyTimeout == 60)
        #expect(server.uploadTimeout == 900)
        #expect(server.failedAttemptsPerMinute == 30)
        #expect(server.bytesAtOnce == 134_217_728)
    }
}
