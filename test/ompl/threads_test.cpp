// One validator and one checker, asked by many threads at once: run under ThreadSanitizer too.

#include <algorithm>
#include <random>
#include <thread>

#include <gtest/gtest.h>
#include <ompl/base/ScopedState.h>

#include "catena/ompl/setup.hpp"
#include "ompl/small_robots.hpp"

namespace {

namespace ob = ::ompl::base;

struct Answer {
  bool state = false, motion = false;
  double clearance = 0.0, fraction = -1.0;
  std::vector<double> last;
  bool operator==(const Answer&) const = default;
};

struct Question {
  std::vector<double> from, to;
};

std::vector<Question> questions(int count, int joints) {
  std::mt19937 rng(5);
  std::uniform_real_distribution<double> angle(-2.0, 2.0);
  std::vector<Question> result(static_cast<size_t>(count));
  for (Question& q : result) {
    for (int i = 0; i < joints; ++i) {
      q.from.push_back(angle(rng));
      q.to.push_back(angle(rng));
    }
  }
  return result;
}

Answer ask(const catena::ompl::Setup& setup, const Question& question) {
  const auto& information = *setup.getSpaceInformation();
  ob::ScopedState<> from(setup.getStateSpace()), to(from), last(from);
  from = question.from;
  to = question.to;
  Answer answer;
  answer.state = information.isValid(from.get());
  answer.clearance = information.getStateValidityChecker()->clearance(from.get());
  std::pair<ob::State*, double> last_valid(last.get(), -1.0);
  answer.motion = information.getMotionValidator()->checkMotion(from.get(), to.get(), last_valid);
  answer.fraction = last_valid.second;
  if (!answer.motion) answer.last = last.reals();
  return answer;
}

/// Every thread asks everything, each from another question on.
void expect_same_answers(int threads, int count) {
  catena::ompl::Setup setup(catena::test::planar_snake(5), catena::test::some_posts());
  setup.getSpaceInformation()->setup();
  const std::vector<Question> asked = questions(count, 5);
  std::vector<Answer> alone;
  for (const Question& q : asked) alone.push_back(ask(setup, q));
  auto& validator = *setup.getSpaceInformation()->getMotionValidator();
  const unsigned int valid = validator.getValidMotionCount();
  validator.resetMotionCounter();

  std::vector<int> different(static_cast<size_t>(threads), 0);
  std::vector<std::thread> pool;
  for (int k = 0; k < threads; ++k) {
    pool.emplace_back([&, k] {
      for (size_t i = 0; i < asked.size(); ++i) {
        const size_t j = (i + static_cast<size_t>(k) * 13) % asked.size();
        if (!(ask(setup, asked[j]) == alone[j])) ++different[static_cast<size_t>(k)];
      }
    });
  }
  for (std::thread& thread : pool) thread.join();
  EXPECT_EQ(different, std::vector<int>(static_cast<size_t>(threads), 0));
  const auto times = static_cast<unsigned int>(threads);
  EXPECT_EQ(validator.getCheckedMotionCount(), times * static_cast<unsigned int>(count));
  EXPECT_EQ(validator.getValidMotionCount(), times * valid);
}

TEST(Threads, EightOnOneValidatorGetTheAnswersOfOne) { expect_same_answers(8, 60); }

TEST(Threads, MoreThanThePoolHasPlacesForGetThemToo) { expect_same_answers(70, 4); }

// A robot long enough that each thread remembers what it has proven, of states of which most differ
// in a joint or two.
TEST(Threads, EightOnALongRobotGetTheAnswersOfOne) {
  catena::ompl::Setup setup(catena::test::planar_snake(80), catena::test::some_posts());
  setup.getSpaceInformation()->setup();
  const auto& information = *setup.getSpaceInformation();
  std::mt19937 rng(6);
  std::uniform_real_distribution<double> turn(-0.6, 0.6);
  std::vector<std::vector<double>> states;
  std::vector<double> q(80, 0.0);
  for (int i = 0; i < 200; ++i) {
    if (i % 40 == 0) q.assign(80, 0.0);
    q[rng() % 80] += turn(rng);
    states.push_back(q);
  }
  const auto is_free = [&](const std::vector<double>& values) {
    ob::ScopedState<> state(setup.getStateSpace());
    state = values;
    return information.isValid(state.get());
  };
  std::vector<bool> alone;
  for (const auto& values : states) alone.push_back(is_free(values));
  ASSERT_GT(std::count(alone.begin(), alone.end(), true), 20);
  ASSERT_GT(std::count(alone.begin(), alone.end(), false), 20);
  std::vector<int> different(8, 0);
  std::vector<std::thread> pool;
  for (size_t k = 0; k < different.size(); ++k) {
    pool.emplace_back([&, k] {
      for (size_t i = 0; i < states.size(); ++i) {
        const size_t j = (i + k * 25) % states.size();
        if (is_free(states[j]) != alone[j]) ++different[k];
      }
    });
  }
  for (std::thread& thread : pool) thread.join();
  EXPECT_EQ(different, std::vector<int>(8, 0));
}

TEST(Threads, AValidatorMayDieBeforeTheThreadThatAskedIt) {
  const Question question = questions(1, 5).front();
  std::thread([&] {
    Answer first;
    for (int i = 0; i < 20; ++i) {
      catena::ompl::Setup setup(catena::test::planar_snake(5), catena::test::some_posts());
      setup.getSpaceInformation()->setup();
      const Answer answer = ask(setup, question);
      if (i == 0) first = answer;
      EXPECT_TRUE(answer == first);
    }
  }).join();
}

}  // namespace
