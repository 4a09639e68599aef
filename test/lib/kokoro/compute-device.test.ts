/** Which device computes, and what is said where the one asked for cannot. No GPU is needed, and none expected. */
import { describe, expect, test } from "vitest";
import { chooseDevice, computeOnce } from "../../../lib/kokoro/compute-device.ts";

/** As ONNX Runtime 1.30.0 says it where there is a provider and no driver, shortened. */
const NO_DRIVER = new Error(
  "/onnxruntime_src/onnxruntime/core/providers/cuda/cuda_call.cc:154 std::conditional_t<THRW, void> onnxruntime::CudaCall" +
    "(ERRTYPE, const char*) [with ERRTYPE = cudaError] CUDA failure 35: CUDA driver version is insufficient for CUDA " +
    "runtime version ; GPU=-1 ; hostname=h ; file=/onnxruntime_src/cuda_execution_provider.cc",
);
const fails = (error: Error) => () => Promise.reject(error);

describe("the device", () => {
  test("is the CPU without a trial", async () => {
    const never = fails(new Error("tried"));
    expect(await chooseDevice("cpu", undefined, never)).toMatchObject({ device: "cpu" });
  });

  test("is tried with a graph that ONNX Runtime takes", () => computeOnce("cpu"));

  test("is CUDA when it computes", async () => {
    expect(await chooseDevice("cuda", undefined, async () => {})).toMatchObject({ device: "cuda" });
  });

  test("is the fallback when there is one, with the reason", async () => {
    expect(await chooseDevice("cuda", "cpu", fails(NO_DRIVER))).toEqual({
      device: "cpu",
      reason:
        "KOKORO_DEVICE_FALLBACK, for cuda cannot be used: CUDA failure 35: CUDA driver version is insufficient for CUDA runtime version",
    });
  });

  test("fails without one, and says what to do", async () => {
    await expect(chooseDevice("cuda", undefined, fails(NO_DRIVER))).rejects.toMatchObject({
      code: "CONFIGURATION",
      message: expect.stringMatching(
        /CUDA failure 35.*driver 580.*KOKORO_DEVICE=cpu.*KOKORO_DEVICE_FALLBACK=cpu/,
      ),
    });
  });
});
